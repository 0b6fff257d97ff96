// SPDX-License-Identifier: MIT
//
// search.js - the search of the pages that make html writes. Without JavaScript they have no search field.
//
// INDEX, in index.js, has [address, page, heading, text] for each heading and each option.
'use strict';

// What a word of a query is worth in an entry; 0: it is not there. Names are found without clopt_ and dashes too.
function worth(entry, word) {
	var bare = word.replace(/^(clopt_|-+)/, ''), best = 0;

	(entry[2] || entry[1]).toLowerCase().split(/[^\w-]+/).forEach(function (name) {
		if (name === word)
			best = Math.max(best, 100);
		else if (bare && name.replace(/^(clopt_|-+)/, '') === bare)
			best = Math.max(best, 80);
		else if (name.indexOf(word) >= 0)
			best = Math.max(best, name.indexOf(word) ? 20 : 40);
	});
	if (entry[2] && entry[1].toLowerCase().indexOf(word) >= 0)
		best += 10;
	return best || (entry[3].toLowerCase().indexOf(word) >= 0 ? 1 : 0);
}

// The words of a query.
function words_of(query) {
	return query.toLowerCase().split(/[\s(),;=]+/).filter(String);
}

// The entries that have all words of the query, the best first.
function find(index, query) {
	var words = words_of(query), phrase = words.join(' ');

	return index.map(function (entry, place) {
		var each = words.map(function (word) { return worth(entry, word); });

		return { entry: entry, place: place, worth: each.indexOf(0) >= 0 ? 0 : each.reduce(function (sum, one) {
			return sum + one;
		}, entry[3].toLowerCase().indexOf(phrase) >= 0 ? 5 : 0) };
	}).filter(function (found) {
		return found.worth > 0;
	}).sort(function (a, b) {
		// News is last.  Of equals the shorter heading: an exact name is before longer ones.
		return /NEWS/.test(a.entry[0]) - /NEWS/.test(b.entry[0]) || b.worth - a.worth || a.entry[2].length - b.entry[2].length || a.place - b.place;
	}).map(function (found) { return found.entry; });
}

function start() {
	var MOST = 50;
	var base = document.currentScript.src.replace(/[^/]*$/, '');
	var field = document.getElementById('site-search'), main = document.querySelector('main');
	var results = document.createElement('section'), loading;

	// Text with the words of the query marked.
	function marked(tag, text, words) {
		var element = document.createElement(tag);
		var pattern = words.map(function (word) { return word.replace(/[^\w]/g, '\\$&'); }).join('|') || '$^';

		text.split(new RegExp('(' + pattern + ')', 'i')).forEach(function (piece, i) {
			var part = document.createElement(i % 2 ? 'mark' : 'span');

			part.textContent = piece;
			element.appendChild(part);
		});
		return element;
	}

	function show() {
		var words = words_of(field.value), found = words.length && window.INDEX ? find(INDEX, field.value) : [];

		main.hidden = words.length > 0;
		results.hidden = !main.hidden;
		results.textContent = '';
		if (results.hidden || !window.INDEX)
			return;
		results.appendChild(marked('p', found.length === 0 ? 'Nothing has all these words.' : found.length === 1 ? '1 place' :
			found.length + ' places' + (found.length > MOST ? ', the first ' + MOST + ':' : ''), []));
		found.slice(0, MOST).forEach(function (entry) {
			var link = document.createElement('a'), heading = entry[2] || entry[1], text = entry[3];
			var low = text.toLowerCase();
			var at = Math.max(0, Math.max(low.indexOf(words.join(' ')), low.indexOf(words[0])) - 60);

			// Of a heading of many names, those that were asked for.
			if (heading.length > 60)
				heading = heading.split(/ ?, /).filter(function (name) {
					return words.some(function (word) { return name.toLowerCase().indexOf(word) >= 0; });
				}).join(', ') || heading;
			link.href = base + entry[0];
			link.appendChild(marked('b', heading, words));
			if (heading !== entry[1])
				link.appendChild(marked('i', entry[1], []));
			if (at)
				text = '… ' + text.slice(text.indexOf(' ', at) + 1);
			link.appendChild(marked('p', text.length > 200 ? text.slice(0, 200).replace(/ [^ ]*$/, ' …') : text, words));
			link.onclick = function () {
				if (this.pathname === location.pathname)
					close();
			};
			results.appendChild(link);
		});
		window.scrollTo(0, 0);
	}

	function close() {
		field.value = '';
		show();
	}

	// The index is large: it is read when someone searches.
	function load() {
		if (loading)
			return;
		loading = document.createElement('script');
		loading.src = base + 'index.js';
		loading.onload = show;
		document.body.appendChild(loading);
	}

	results.id = 'site-results';
	results.hidden = true;
	main.parentNode.insertBefore(results, main);
	field.hidden = false;
	field.onfocus = load;
	field.oninput = show;
	field.onkeydown = function (event) {
		if (event.key === 'Escape')
			close();
		if (event.key === 'Enter' && results.querySelector('a'))
			results.querySelector('a').click();
	};
	document.addEventListener('keydown', function (event) {
		if (event.key === '/' && document.activeElement !== field) {
			event.preventDefault();
			field.focus();
		}
	});
	// A long menu shows where one is, and folds behind a link of the same page.
	document.querySelector('nav [aria-current]').scrollIntoView({ block: 'nearest' });
	window.addEventListener('hashchange', function () {
		document.getElementById('site-menu').checked = false;
	});
	// page.html?q=words opens with their results.
	field.value = decodeURIComponent((/[?&]q=([^&]*)/.exec(location.search) || ['', ''])[1].replace(/\+/g, ' '));
	if (field.value)
		load();
}

if (typeof document !== 'undefined')
	start();
